// Package switchmlproto is the control protocol of SwitchML: gRPC over HTTP/2
// without TLS, on [Port] of the switch's management address. It is generated from
// switchml.proto; what a switch does with it is in switchd/control/switchmlrpc.
//
//	rank 0   Broadcast               UdpSession  Barrier              Barrier
//	others   Broadcast  Barrier ...............          UdpSession   Barrier
//
// Left out: everything with a rule. To generate it takes protoc, protoc-gen-go and
// protoc-gen-go-grpc.
package switchmlproto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative switchml.proto

// Port is the TCP port of the service.
const Port = 50099
