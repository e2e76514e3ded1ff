// Package trioml is the family of switch programs of Trio-ML: in-network aggregation
// with straggler mitigation by timer threads (Trio, SIGCOMM 2022, §4 and §5). It holds
// what the programs share and no packet of theirs:
//
//   - [Job], the job record that a control plane sets up on one PFE; the checks of one;
//   - [Table], the jobs of a PFE: admission, removal, refusals and counters;
//   - [Config], with the policies for what the paper leaves open;
//   - names of counters and drops, and the columns of the views.
//
// Two packages below it do the work. They share no code of the data path, so that one
// can be held against the other packet for packet:
//
//	trioml.Config --+--> trioml/reference   small, meant to be obviously right: the oracle
//	                +--> trioml/microcode   Microcode on an emulated PFE
package trioml
