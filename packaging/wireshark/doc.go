// Package wireshark writes the dissector of the testbed's protocols for Wireshark and tshark,
// inalab.lua, from their encoders.
//
//	encoder of internal/wire --probe: one field, all bits--> offset, width, byte order
//	                          names and meanings ----------> Lua
//
// A field is where the encoder puts its bits, so the dissector cannot differ from the wire
// format: a test holds inalab.lua to what this package writes.
//
// Names begin with ina_: Wireshark has an ATP of its own, of AppleTalk.
//
// Left out: RDMA of SwitchML, which Wireshark dissects as RoCE; the bodies of XAgg's control
// messages; the packet that answers another.
package wireshark

//go:generate go test -run ^TestDissectorIsUpToDate$ -update .
