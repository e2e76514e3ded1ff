// Package atp is what the programs of ATP switches share: jobs and their refusals, judging a
// packet before an aggregator is looked at, counters and views. The programs are in
// folders: reference, and pipeline on the emulated Tofino.
//
//	Frame --Judge--> Aggregate | Resent | Parameter        its aggregator is looked at
//	            \--> Untouched | PassOn | Refused | Drop   it is not
//
// [Table.Judge] compares what a packet says of itself with the job: its sender's bit and port, its
// fan-in, its index. Bits of two bitmaps never meet in an aggregator, as a switch takes those packets
// alone for which it is the next to aggregate. A sum is exactly that of the workers in its bitmap, or
// clipped, whatever is lost, copied, overtaken or forgotten. That holds within one use of a job id and
// one round of its sequence numbers. Before the next, hosts have to sweep away the aggregators that
// late copies may have reserved.
//
// A program claims packets in transit ([dataplane.Wants]): those to UDP port 17000, and
// the reference program those of more than two levels, to port 17001. What goes on
// goes to where the forwarding plane takes it, parameter packets to their group. So a program
// knows no ways, and needs no job to be right: what it does not know passes, and the
// parameter server adds it.
package atp
