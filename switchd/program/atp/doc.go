// Package atp is what the programs of ATP switches share: jobs and their refusals, judging a
// packet before an aggregator is looked at, counters and views. The programs are in
// folders: reference, and pipeline on the emulated Tofino.
//
//	Frame --Judge--> Aggregate | Resent | Parameter | PassOn | Drop
//
// A program claims packets in transit ([dataplane.Wants]): those to UDP port 17000. What goes on
// goes to where the forwarding plane takes it, parameter packets to their group. So a program
// knows no ways, and needs no job to be right: what it does not know passes, and the
// parameter server adds it.
package atp
