// Package filter is the filtering example of the Trio paper as a Microcode program for a Trio
// PFE (trio §3.2). IPv4 packets without options pass. All others are dropped, with one counter
// for other EtherTypes and one for options.
//
//	packet --> EtherType 0x0800? --no--> counter 0 --> dropped
//	       --> version 4, no options? --no--> counter 1 --> dropped
//	       --> forwarded
//
// Instructions and counters are those of the paper's listings, Fig 5 and Fig 6. ARP is not
// IPv4, and hosts need it to learn MAC addresses. So ARP does not come to the filter unless its
// configuration says so.
package filter
