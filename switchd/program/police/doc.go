// Package police is a DDoS policer as a Microcode program for a Trio PFE (trio §7). It drops
// malicious packets on the datapath.
//
//	packet --> from where it goes to?        --> dropped: spoofed
//	       --> source blocked?               --> dropped: blocked
//	       --> beyond the source's bucket?   --> dropped: exceeded; often: block it
//	       --> forwarded
//
// The first packet of a source address makes its record in the hash table, with a token
// bucket. Timer threads remove the records of sources that were silent for a period, which
// also ends a block.
//
// Left out: the paper's features over several packets and trained models; buckets for groups
// of sources.
package police
