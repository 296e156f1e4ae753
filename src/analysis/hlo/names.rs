//! Kernel and instruction names, reduced to what both sides spell alike.

/// The name of a kernel without what tracers and C++ add to it, as the compiler spells functions.
///
/// XLA makes the function `loop_fusion_3` of the instruction `loop_fusion.3`; the AMD code object appends `.kd`, clones
/// carry `[clone …]`, and C++ kernels their template and call arguments.
pub(super) fn kernel_base(name: &str) -> String {
    let name = name.trim();
    let name = name.split(" [clone").next().unwrap_or(name).trim_end();
    let name = name.strip_suffix(".kd").unwrap_or(name);
    let name = name.strip_prefix("void ").unwrap_or(name);
    // An anonymous namespace opens a bracket without ending the name.
    let ends = |(at, _): &(usize, char)| !name[*at..].starts_with("(anonymous namespace)");
    let end = name.char_indices().filter(|(_, c)| matches!(c, '<' | '(')).find(ends);
    let name = end.map_or(name, |(at, _)| &name[..at]);
    instruction_base(name.strip_suffix(".kd").unwrap_or(name))
}

/// The function name that the compiler makes of an instruction's name: what is no letter, digit or underscore becomes one.
pub(super) fn instruction_base(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// A base name without the numbers and marks that tell equal instructions apart: `loop_fusion_3_clone_1` → `loop_fusion`.
pub(super) fn stem(base: &str) -> &str {
    let mut rest = base;
    loop {
        let without = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        let numbered = without.len() < rest.len();
        let shorter = match without.strip_suffix('_') {
            Some(shorter) if numbered => Some(shorter),
            _ => rest.strip_suffix("_clone").or_else(|| rest.strip_suffix("_remat")),
        };
        match shorter {
            Some(shorter) if !shorter.is_empty() => rest = shorter,
            _ => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{instruction_base, kernel_base, stem};

    #[test]
    fn both_sides_meet() {
        for (kernel, instruction) in [
            ("input_transpose_fusion_1.kd", "input_transpose_fusion.1"),
            ("input_transpose_fusion_1", "input_transpose_fusion.1"),
            ("loop_fusion_3 [clone .kd]", "loop_fusion.3"),
            ("all_reduce_2.kd", "all-reduce.2"),
        ] {
            assert_eq!(kernel_base(kernel), instruction_base(instruction));
        }
    }

    #[test]
    fn kernel_names_lose_arguments() {
        for (name, base) in [
            ("void ck_tile::kentry<ck_tile::gfx950_t, 2>(int).kd", "ck_tile__kentry"),
            ("void at::(anonymous namespace)::f<int>(float*)", "at___anonymous_namespace___f"),
            (
                "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
                "ncclDevKernel_Generic_1",
            ),
            ("", ""),
        ] {
            assert_eq!(kernel_base(name), base);
        }
    }

    #[test]
    fn stems_drop_numbers_and_marks() {
        for (base, expected) in [
            ("loop_fusion_3", "loop_fusion"),
            ("loop_fusion_3_clone_1", "loop_fusion"),
            ("loop_fusion", "loop_fusion"),
            ("fusion2d", "fusion2d"),
            ("copy4", "copy4"),
            ("_7", "_7"),
            ("", ""),
        ] {
            assert_eq!(stem(base), expected);
        }
    }
}
