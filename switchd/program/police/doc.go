// Package police is a DDoS policer as a Microcode program for a Trio PFE (trio
// §7): malicious packets are identified and dropped on the datapath.
//
//	packet --> from where it goes to?        --> dropped: spoofed
//	       --> source blocked?               --> dropped: blocked
//	       --> beyond the source's bucket?   --> dropped: exceeded; often: block it
//	       --> forwarded
//
// Every source address has a record in the hash table with a token bucket, which
// its first packet makes. Timer threads remove the records of sources that have
// been silent for a period, and so forgive them.
//
// Left out: features over several packets and models that are trained on them, of
// which the paper speaks as well; buckets for groups of sources.
package police
