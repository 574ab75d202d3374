//! Counts as data: their columns in tables, and the rules that combine counts of parts of a run, and of connections.

use crate::time::Span;

/// Rules by which the count of a run follows from the counts of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CombineRule {
    /// The sum.
    Sum,
    /// The largest count of a part.
    Most,
    /// The count of the one part that has it: it is -1 in all other parts.
    SingleOccurrence,
    /// The count of the last part, which includes all parts before it.
    Latest,
    /// The latest count, in the column of this name: the column itself is of its part alone, and cannot be added.
    SoFar(&'static str),
}

/// A column of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of the column in tables.
    pub name: &'static str,
    /// Rule that combines parts of a run.
    pub rule: CombineRule,
}

impl Column {
    /// A column whose value for a run is the sum over its parts.
    #[must_use]
    pub const fn sum(name: &'static str) -> Self {
        Column { name, rule: CombineRule::Sum }
    }

    /// A column whose value for a run is the largest of its parts.
    #[must_use]
    pub const fn largest(name: &'static str) -> Self {
        Column { name, rule: CombineRule::Most }
    }

    /// A column for the time of an event that happens at most once in a run.
    #[must_use]
    pub const fn single_occurrence(name: &'static str) -> Self {
        Column { name, rule: CombineRule::SingleOccurrence }
    }

    /// A column whose value covers this part and all parts before it.
    #[must_use]
    pub const fn cumulative(name: &'static str) -> Self {
        Column { name, rule: CombineRule::Latest }
    }

    /// A column for one part alone; column `of` has the value for this part and all parts before it.
    #[must_use]
    pub const fn per_part(name: &'static str, of: &'static str) -> Self {
        Column { name, rule: CombineRule::SoFar(of) }
    }

    /// The names of several columns.
    #[must_use]
    pub fn names(columns: &[Column]) -> Vec<&'static str> {
        columns.iter().map(|column| column.name).collect()
    }
}

/// A count that adds up over time and over connections.
pub trait Count: Copy {
    /// Count since `before`.
    #[must_use]
    fn since(&self, before: &Self) -> Self;

    /// Sum of both counts.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;
}

impl Count for u64 {
    fn since(&self, before: &Self) -> Self {
        self - before
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
}

impl<T: Count, const N: usize> Count for [T; N] {
    fn since(&self, before: &Self) -> Self {
        std::array::from_fn(|i| self[i].since(&before[i]))
    }
    fn plus(&self, other: &Self) -> Self {
        std::array::from_fn(|i| self[i].plus(&other[i]))
    }
}

impl Count for Span {
    fn since(&self, before: &Self) -> Self {
        Span::from_nanos(self.nanos() - before.nanos())
    }
    fn plus(&self, other: &Self) -> Self {
        *self + *other
    }
}

/// A value of a table.
pub trait TableCell {
    /// The value as a number, -1 for `None`.
    fn cell(self) -> i64;
}

impl TableCell for i64 {
    fn cell(self) -> i64 {
        self
    }
}

impl TableCell for u64 {
    fn cell(self) -> i64 {
        self.cast_signed()
    }
}

impl TableCell for Span {
    fn cell(self) -> i64 {
        self.nanos()
    }
}

impl TableCell for Option<Span> {
    fn cell(self) -> i64 {
        self.map_or(-1, Span::nanos)
    }
}

/// Makes a struct of counts, whose methods are called once per part of a run and are kept apart from what packets run: of each field its type, its rule, and its columns, each with the rule of [`Column`] that it has
/// and its value.
///
/// Rules of fields, for the time since a reading and for connections that are one flow: `sum` (differences, sums), `longest`
/// (differences, the largest), `once` (where it came to be, nothing), `least` (as it is, the least), and `apart` (as it is,
/// nothing) for what cannot be added, `whole` (differences, nothing) for what belongs to all connections together.
#[macro_export]
macro_rules! counts {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $(
                $(#[$doc:meta])*
                $field:ident: $type:ty, $rule:ident =>
                    [ $( $column:literal $how:ident $(($of:literal))? : $value:expr ),* $(,)? ];
            )+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $( $(#[$doc])* pub $field: $type, )+
        }

        impl $name {
            /// The columns of a table.
            pub const COLUMNS: &'static [$crate::Column] =
                &[ $( $( $crate::Column::$how($column $(, $of)?), )* )+ ];

            /// The values in that order; -1 for `None`.
            #[must_use]
            #[cold]
            #[allow(unused_variables, reason = "fields with columns elsewhere")]
            pub fn values(&self) -> Vec<i64> {
                let $name { $( $field, )+ } = *self;
                vec![ $( $( $crate::TableCell::cell($value), )* )+ ]
            }

            /// Counts since `before`.
            #[must_use]
            #[cold]
            pub fn since(&self, before: &$name) -> $name {
                $name { $( $field: $crate::counts!(@since $rule self.$field, before.$field), )+ }
            }

            /// Combines the counts of connections that form one flow.
            #[must_use]
            #[cold]
            pub fn plus(&self, other: &$name) -> $name {
                $name { $( $field: $crate::counts!(@plus $rule self.$field, other.$field), )+ }
            }
        }

        impl $crate::Count for $name {
            fn since(&self, before: &Self) -> Self {
                $name::since(self, before)
            }
            fn plus(&self, other: &Self) -> Self {
                $name::plus(self, other)
            }
        }
    };
    (@since sum $now:expr, $before:expr) => { $crate::Count::since(&$now, &$before) };
    (@since longest $now:expr, $before:expr) => { $crate::Count::since(&$now, &$before) };
    (@since whole $now:expr, $before:expr) => { $crate::Count::since(&$now, &$before) };
    (@since once $now:expr, $before:expr) => { $now.filter(|_| $before.is_none()) };
    (@since least $now:expr, $before:expr) => { $now };
    (@since apart $now:expr, $before:expr) => { $now };
    (@plus sum $one:expr, $other:expr) => { $crate::Count::plus(&$one, &$other) };
    (@plus longest $one:expr, $other:expr) => { $one.max($other) };
    (@plus whole $one:expr, $other:expr) => { ::core::default::Default::default() };
    (@plus once $one:expr, $other:expr) => { None };
    (@plus least $one:expr, $other:expr) => { $one.into_iter().chain($other).min() };
    (@plus apart $one:expr, $other:expr) => { ::core::default::Default::default() };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro makes public structs")]
mod tests {
    use super::*;

    crate::counts! {
        /// Counts of a test.
        pub struct Tested {
            /// Length.
            time: Span, longest => ["time_ns" sum: time];
            /// Packets.
            good: u64, sum => ["all" sum: good + bad, "good" sum: good];
            /// Packets.
            bad: u64, sum => [];
            /// First.
            first: Option<Span>, once => ["first_ns" single_occurrence: first];
            /// Least.
            least: Option<Span>, least => ["least_ns" cumulative: least];
        }
    }

    fn counts(time: i64, good: u64, first: Option<i64>) -> Tested {
        let first = first.map(Span::from_nanos);
        Tested { time: Span::from_nanos(time), good, bad: 1, first, least: first }
    }

    #[test]
    fn one_declaration_has_columns_values_differences_and_sums() {
        let (before, now) = (counts(5, 2, None), counts(9, 6, Some(7)));
        assert_eq!(
            Column::names(Tested::COLUMNS),
            ["time_ns", "all", "good", "first_ns", "least_ns"]
        );
        assert_eq!(Tested::COLUMNS[3].rule, CombineRule::SingleOccurrence);
        assert_eq!(before.values(), [5, 3, 2, -1, -1]);
        assert_eq!(now.since(&before).values(), [4, 4, 4, 7, 7]);
        assert_eq!(now.since(&now).values(), [0, 0, 0, -1, 7]);
        assert_eq!(now.plus(&counts(5, 2, Some(3))).values(), [9, 10, 8, -1, 3]);
    }
}
