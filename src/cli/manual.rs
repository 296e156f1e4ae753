//! `completions` and `man`: written from the definitions of the arguments.

use super::{Cli, Stop};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use idleproof::document::nearest;

/// The completions of a shell.
pub(crate) fn completions(shell: Shell) -> Result<String, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "idleproof", &mut script);
    text(script)
}

/// The manual page of the program, or of a command by its words.
pub(crate) fn page(words: &[String]) -> Result<String, Stop> {
    let mut command = Cli::command();
    command.build();
    let mut command = &command;
    for word in words {
        command = command.find_subcommand(word).ok_or_else(|| unknown(command, word))?;
    }
    // A page is known by all its words: idleproof-golden-accept(1).
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut page = Vec::new();
    let source = concat!("idleproof ", env!("CARGO_PKG_VERSION"));
    let written =
        clap_mangen::Man::new(command.clone()).title(name).source(source).render(&mut page);
    written.map_err(|error| Stop::Failed(format!("can't write the page: {error}")))?;
    text(page)
}

fn unknown(command: &Command, word: &str) -> Stop {
    let known = || command.get_subcommands().map(Command::get_name).filter(|name| *name != "help");
    let help = match nearest(word, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
    };
    Stop::Usage(format!("no command `{word}`: {help}"))
}

fn text(bytes: Vec<u8>) -> Result<String, Stop> {
    String::from_utf8(bytes).map_err(|error| Stop::Failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{Cli, page};
    use clap::{Command, CommandFactory, Parser};

    /// Every command that does something, with its words.
    fn leaves(command: &Command, words: &[String], found: &mut Vec<(Vec<String>, String)>) {
        let subcommands: Vec<&Command> =
            command.get_subcommands().filter(|one| one.get_name() != "help").collect();
        if subcommands.is_empty() {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            found.push((words.to_vec(), examples));
        }
        for one in subcommands {
            let words = [words, &[one.get_name().to_owned()]].concat();
            leaves(one, &words, found);
        }
    }

    #[test]
    fn every_command_teaches_with_examples_that_are_understood() {
        let mut found = Vec::new();
        leaves(&Cli::command(), &[], &mut found);
        assert!(found.len() > 12, "{found:?}");
        for (words, examples) in found {
            let lines: Vec<&str> =
                examples.lines().filter_map(|line| line.strip_prefix("  ")).collect();
            assert!(!lines.is_empty(), "{words:?} has no example");
            for line in lines {
                let line = line.split("    #").next().unwrap_or_default();
                let line = line.split(" > ").next().unwrap_or_default().replace('\'', "");
                let arguments: Vec<&str> = line.split_whitespace().collect();
                assert_eq!(arguments[1..=words.len()], words[..], "an example of another command");
                if let Err(error) = Cli::try_parse_from(&arguments) {
                    panic!("{line}: {error}");
                }
            }
            assert!(page(&words).unwrap().contains("Examples:"), "{words:?}");
        }
    }
}
