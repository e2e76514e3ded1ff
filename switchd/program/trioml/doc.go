// Package trioml is the common part of the switch programs of Trio-ML: in-network
// aggregation with straggler mitigation by timer threads (Trio, SIGCOMM 2022, §4, §5).
//
//   - [Job], the job record of one PFE, and its checks;
//   - [Table], the jobs of a PFE: admission, removal, refusals and counters;
//   - [Config], with the policies for points that the paper leaves open;
//   - names of counters and drops, and the columns of the views.
//
// The packages below it process packets. They share no code for that, so that one can be
// compared with the other packet for packet:
//
//	trioml.Config --+--> trioml/reference   small, meant to be obviously right: the oracle
//	                +--> trioml/microcode   Microcode on an emulated PFE
package trioml
