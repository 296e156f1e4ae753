//! The kinds of damage, as one table: what happens to a capture, and whether that may take claims away.

mod clocks;
mod files;
mod host;
mod records;
mod replays;

use super::capture::Capture;
use super::dice::Dice;

/// One kind of damage.
pub(crate) struct Damage {
    /// What it does, as the table prints it.
    pub(crate) name: &'static str,
    /// What it may do to claims.
    pub(crate) effect: Effect,
    /// Does it.
    pub(crate) inflict: fn(&mut Capture, Dice),
}

/// What a kind of damage may do to claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Records are lost: what they said is.
    Loss,
    /// Records say what did not happen.
    Corruption,
    /// Records of two runs stand in one file: each is true, and what they add up to is not.
    Merger,
    /// The file says the same in other words: every claim must stay as it is.
    None,
}

const fn loss(name: &'static str, inflict: fn(&mut Capture, Dice)) -> Damage {
    Damage { name, effect: Effect::Loss, inflict }
}

const fn corruption(name: &'static str, inflict: fn(&mut Capture, Dice)) -> Damage {
    Damage { name, effect: Effect::Corruption, inflict }
}

const fn merger(name: &'static str, inflict: fn(&mut Capture, Dice)) -> Damage {
    Damage { name, effect: Effect::Merger, inflict }
}

const fn harmless(name: &'static str, inflict: fn(&mut Capture, Dice)) -> Damage {
    Damage { name, effect: Effect::None, inflict }
}

/// Every kind, in the order of the table. The first is none at all.
pub(crate) const KINDS: &[Damage] = &[
    harmless("nothing", |_, _| {}),
    harmless("steps in another order in the file", files::turn_steps),
    harmless("events in another order in the file", files::shuffle),
    harmless("file written with indentation and keys in reverse", files::rewrite),
    harmless("fields added that no reader knows", files::add_fields),
    harmless("all times an hour later", |capture, _| clocks::shift_all(capture, 3_600_000_000_000)),
    harmless("kernels and operators renamed alike", files::rename),
    loss("5 % of the replays lost", |capture, dice| replays::lose(capture, dice, 5)),
    loss("25 % of the replays lost", |capture, dice| replays::lose(capture, dice, 25)),
    loss("50 % of the replays lost", |capture, dice| replays::lose(capture, dice, 50)),
    loss("75 % of the replays lost", |capture, dice| replays::lose(capture, dice, 75)),
    loss("95 % of the replays lost", |capture, dice| replays::lose(capture, dice, 95)),
    loss("all replays lost", |capture, dice| replays::lose(capture, dice, 100)),
    loss("the second half of the replays lost", |capture, _| replays::lose_second_half(capture)),
    loss("replays keep their first record", |capture, _| replays::keep_first(capture, 1)),
    loss("replays keep their first 2 records", |capture, _| replays::keep_first(capture, 2)),
    loss("replays keep their first 5 records", |capture, _| replays::keep_first(capture, 5)),
    loss("replays lose their second half", |capture, _| replays::lose_second_halves(capture)),
    loss("10 % of the records inside replays lost", |capture, dice| {
        replays::thin(capture, dice, 10)
    }),
    loss("35 % of the records inside replays lost", |capture, dice| {
        replays::thin(capture, dice, 35)
    }),
    loss("74 % of the records inside replays lost", |capture, dice| {
        replays::thin(capture, dice, 74)
    }),
    loss("5 % of the records outside replays lost", |capture, dice| {
        records::thin(capture, dice, 5)
    }),
    loss("35 % of the records outside replays lost", |capture, dice| {
        records::thin(capture, dice, 35)
    }),
    loss("the first 30 % of the records lost", |capture, _| records::lose_part(capture, 0, 30)),
    loss("the middle 30 % of the records lost", |capture, _| records::lose_part(capture, 35, 65)),
    loss("the last 40 % of the records lost", |capture, _| records::lose_part(capture, 60, 100)),
    loss("device side of a stretch of time cut out", |capture, dice| {
        records::cut_device(capture, dice)
    }),
    loss("host side of a stretch of time cut out", |capture, dice| {
        records::cut_host(capture, dice)
    }),
    loss("both sides of a stretch of time cut out", |capture, dice| {
        records::cut_both(capture, dice);
    }),
    loss("35 % of the kernels lost with their launches", |capture, dice| {
        records::thin_pairs(capture, dice, 35);
    }),
    loss("fills lost", |capture, _| records::lose_fills(capture)),
    loss("no device record left", |capture, _| capture.retain_work(|_| false)),
    loss("no host call left", |capture, _| host::lose_calls(capture)),
    loss("one device lost", |capture, _| records::lose_device(capture)),
    loss("graph launches stripped, 75 % of the replays lost", |capture, dice| {
        replays::lose(capture, dice, 75);
        host::strip_graph_launches(capture);
    }),
    loss("kernel launches stripped", |capture, _| host::strip_kernel_launches(capture)),
    loss("graph launches by the driver's call, 75 % of the replays lost", |capture, dice| {
        replays::lose(capture, dice, 75);
        host::rename_graph_launches(capture);
    }),
    loss(
        "kernel launches under unknown names, 35 % of the records outside replays lost",
        |capture, dice| {
            records::thin(capture, dice, 35);
            host::rename_kernel_launches(capture);
        },
    ),
    loss(
        "half of the kernel launches by a call nobody knows, all their records lost",
        |capture, dice| {
            host::lose_as_unknown(capture, dice, "acmeLaunchTask");
        },
    ),
    loss(
        "half of the kernel launches by a call of no known purpose, all their records lost",
        |capture, dice| {
            host::lose_as_unknown(capture, dice, "acmeSubmit");
        },
    ),
    loss("launches with External ids, 75 % of the replays lost", |capture, dice| {
        replays::lose(capture, dice, 75);
        host::give_external_ids(capture);
    }),
    corruption("one record lasts 10 s", clocks::one_long),
    corruption("1 % of the records last 100 times as long", clocks::stretch),
    corruption("one record lasts nothing", clocks::one_zero),
    corruption("10 % of the records last nothing", clocks::zero),
    corruption("the first record an hour early", clocks::first_early),
    corruption("every device record twice", records::double),
    corruption("host clock 1 ms late", |capture, _| clocks::shift_host(capture, 1_000_000)),
    corruption("host clock 1 ms early", |capture, _| clocks::shift_host(capture, -1_000_000)),
    corruption("host clock 100 ms late", |capture, _| clocks::shift_host(capture, 100_000_000)),
    corruption("host clock 100 ms early", |capture, _| clocks::shift_host(capture, -100_000_000)),
    merger("two ranks in one file, on devices of their own", |capture, _| host::merge(capture, 8)),
    merger("two ranks in one file, on one device", |capture, _| host::merge(capture, 0)),
];
