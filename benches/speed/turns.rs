//! Tasks in turns, each in a process of its own, and the ratios of the turns.

use crate::tasks::Task;
use std::path::Path;
use std::process::Command;

/// What a task took.
pub(crate) struct Took {
    seconds: f64,
    cores_s: f64,
    resident_mb: f64,
    /// What the task tells beside.
    pub(crate) figures: [f64; 3],
}

/// What the tasks took in each turn.
pub(crate) struct Turns {
    tasks: Vec<Task>,
    turns: Vec<Vec<Took>>,
}

/// Does a task in a process of its own.
pub(crate) fn took(task: Task, path: &Path) -> Took {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(["task", task.name()]).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let &[seconds, cores_s, resident_mb, a, b, c] = numbers.as_slice() else {
        panic!("six numbers, not {text}")
    };
    Took { seconds, cores_s, resident_mb, figures: [a, b, c] }
}

impl Turns {
    /// Does all tasks so many times, one after the other in each turn.
    pub(crate) fn take(n_turns: usize, path: &Path, tasks: &[Task]) -> Self {
        let turn = |_| tasks.iter().map(|&task| took(task, path)).collect();
        Self { tasks: tasks.to_vec(), turns: (0..n_turns).map(turn).collect() }
    }

    /// A line a task: medians, and the median ratio to the first task of the same turn.
    pub(crate) fn print(&self) {
        println!(
            "{:>24} {:>9} {:>6} {:>9} {:>6} {:>9}   {} turns",
            "",
            "seconds",
            "ratio",
            "of cores",
            "ratio",
            "MB, peak",
            self.turns.len()
        );
        for (row, task) in self.tasks.iter().enumerate() {
            println!(
                "{:>24} {:>9.4} {:>6.2} {:>9.2} {:>6.2} {:>9.1}",
                task.name(),
                self.median(row, |took| took.seconds),
                self.ratio(row, |took| took.seconds),
                self.median(row, |took| took.cores_s),
                self.ratio(row, |took| took.cores_s),
                self.most_resident_mb(*task)
            );
        }
    }

    /// What a task takes for each of so many things.
    pub(crate) fn print_per(&self, task: Task, thing: &str, n: f64) {
        let ns = self.median_s(task) * 1e9 / n;
        println!("{:>24}: {ns:.0} ns a {thing}", task.name());
    }

    /// How many of so many things a second each task does.
    pub(crate) fn print_rate(&self, n: f64) {
        for &task in &self.tasks {
            println!("{:>24}: {:.0} captures a second", task.name(), n / self.median_s(task));
        }
    }

    /// The median time of a task.
    pub(crate) fn median_s(&self, task: Task) -> f64 {
        self.median(self.row(task), |took| took.seconds)
    }

    /// The most memory that a task had in any turn.
    pub(crate) fn most_resident_mb(&self, task: Task) -> f64 {
        let row = self.row(task);
        self.turns.iter().map(|turn| turn[row].resident_mb).fold(0.0, f64::max)
    }

    fn row(&self, task: Task) -> usize {
        self.tasks.iter().position(|&one| one == task).expect("a task that was done")
    }

    fn median(&self, row: usize, of: fn(&Took) -> f64) -> f64 {
        median(self.turns.iter().map(|turn| of(&turn[row])).collect())
    }

    fn ratio(&self, row: usize, of: fn(&Took) -> f64) -> f64 {
        median(self.turns.iter().map(|turn| of(&turn[row]) / of(&turn[0])).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
