// Package xagg is the wire format of XAgg's gradient packets: Ethernet, IPv4 with protocol 253, a
// header of 14 bytes, and 32 to 320 values.
//
//	 0         4             8     10          12      14
//	| host id | gradient id | job | iteration | flags | values ...
//
// Everything is big-endian. The paper names the host id (32 bits, one-hot) and the gradient id
// (XAgg §IV-A, Fig 3). The other fields fill what its 48 bytes of overhead leave: 1280 bytes of
// values in a frame of 1328 are 96.39%, as printed there, so headers over UDP would not fit. Their
// meaning and order are decided here.
//
// Gradient ids count from 1, so that every group ends with a multiple of 1024 (§IV-D).
package xagg
