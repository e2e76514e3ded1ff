// Package units holds the quantities of the testbed: time in picoseconds, rates in
// bits per second, sizes in bytes.
//
// One byte at 100 Gbit/s takes 80 ps, a whole number, and an int64 of picoseconds
// spans 106 days. Times and rates are integers, so that two runs of one seed agree
// to the last digit on every machine. [Serializer] carries the remainders of
// divisions, so sums do not drift.
//
// Text forms carry a unit ("10ms", "100Gbit/s", "64KiB"); a bare number is an error.
package units
