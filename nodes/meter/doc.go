// Package meter counts the bytes that come to a machine by interval of the run's time.
//
//	arrivals --> Machine --arrivals--> the machine inside
//	                |
//	              Meter   bins[now/interval] += payload
//
// Bytes count in full at the instant at which the machine is given them: nothing is smoothed,
// and nothing is spread over the time that a message took. Payload is that of UDP, or of a
// byte stream; frames of neither have none.
//
// Adding is of contributions in place of bytes: those that a server has after a call and had not before,
// in sums of switches and alone, count at the instant of that call.
//
// A meter has at most [result.MaxIntervals] bins. When they run out, the interval doubles and
// pairs of bins become one, which loses no byte. Memory is bounded, however long a run takes.
//
// Left out: which connection or message the bytes were of.
package meter
