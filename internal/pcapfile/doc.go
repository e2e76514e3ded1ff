// Package pcapfile reads captures of Ethernet frames, in pcap or pcapng, also compressed by
// gzip, and writes pcap and pcapng with nanoseconds.
//
//	file --gzip?--> magic --pcap----> packets, with times and interfaces
//	                      --pcapng--/
//
// The formats are those of draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng; gopacket
// decodes them. What is cut or damaged is an error that names file, packet and byte; the
// packets before it have been read by then.
//
// Left out: link types but Ethernet; reading comments, names and statistics of pcapng.
package pcapfile
