// Package units holds the quantities that the whole testbed speaks in: time in
// picoseconds, rates in bits per second, sizes in bytes.
//
// A picosecond is short enough that one byte at 100 Gbit/s (80 ps) is a whole
// number, and an int64 of them spans 106 days. Times and rates are integers so
// that two runs of one seed agree to the last digit on every machine; where a
// division leaves a remainder, [Serializer] carries it, so sums do not drift.
//
// Text forms always carry a unit ("10ms", "100Gbit/s", "64KiB"); a bare number
// is an error, because "100" has been a rate, a size and a time in somebody's
// configuration file before.
package units
