//! The command line.

mod cli;

use clap::Parser;
use cli::{Cli, Color, Command, PolicyCommand, Stop};
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help for a closed pipe is no failure.
            if !error.use_stderr() {
                let _ = error.print();
                return ExitCode::SUCCESS;
            }
            let text = cli::shown_args(&error.render().ansi().to_string(), std::env::args_os());
            let _ = write!(anstream::stderr(), "{text}");
            return ExitCode::from(2);
        }
    };
    set_color(cli.voice.color);
    // Exceptions of policies end by the calendar of UTC, on every machine at once.
    let today = TimeZone::UTC.to_datetime(Timestamp::now()).date();

    let ended = catch_unwind(AssertUnwindSafe(|| run(&cli, today))).unwrap_or_else(|panic| {
        let text = idleproof::panic_text(panic.as_ref());
        Err(Stop::Failed(format!("internal error: {text}: please report this")))
    });
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(stop) => {
            let _ = writeln!(anstream::stderr(), "{}", stop.message());
            ExitCode::from(stop.code())
        }
    }
}

fn run(cli: &Cli, today: Date) -> Result<u8, Stop> {
    match &cli.command {
        Command::Check(args) => cli::check::check(args, &cli.voice, today),
        Command::Report(args) => cli::check::report(args, &cli.voice, today),
        Command::Merge(args) => cli::merge::merge(args, &cli.voice),
        Command::Diff(args) => cli::diff::diff(args, &cli.voice, today),
        Command::Init(args) => print(&cli::init::init(args, today)?),
        Command::Explain { id } => print(&cli::explain::explain(id)?),
        Command::Checks => print(&cli::explain::list()?),
        Command::Policy(PolicyCommand::Show(args)) => print(&cli::policy::show(args)?),
        Command::Policy(PolicyCommand::Validate { file }) => print(&cli::policy::validate(file)?),
        Command::Policy(PolicyCommand::Schema) => print(&cli::policy::schema()?),
        Command::Completions { shell } => print(&cli::manual::completions(*shell)?),
        Command::Man { words } => print(&cli::manual::page(words)?),
        Command::Golden(command) => print(&cli::golden::run(command, today)?),
    }
}

fn print(text: &str) -> Result<u8, Stop> {
    cli::outputs::print(text).map(|()| 0).map_err(Stop::Failed)
}

fn set_color(color: Color) {
    let choice = match color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}
