// Package filter is the filtering example of the Trio paper as a Microcode program for a
// Trio PFE (trio §3.2): IPv4 packets without options pass, all others are dropped and
// counted, those that are not IPv4 and those with options by themselves.
//
//	packet --> EtherType 0x0800? --no--> counter 0 --> dropped
//	       --> version 4, no options? --no--> counter 1 --> dropped
//	       --> forwarded
//
// Instructions and counters are those of the paper's listings and its Fig 5 and Fig 6.
// ARP is no IPv4: a filter that asks for it separates hosts that do not know each other's
// MAC address, so it does not unless its configuration says so.
package filter
