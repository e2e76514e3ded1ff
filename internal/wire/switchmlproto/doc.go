// Package switchmlproto is the control protocol of SwitchML, gRPC over HTTP/2
// without TLS, as generated from switchml.proto. The order of the calls:
//
//	rank 0   Broadcast               UdpSession  Barrier              Barrier
//	others   Broadcast  Barrier ...............          UdpSession   Barrier
//
// Left out: the service behind it (harness/system/switchml/rpc). Generation needs
// protoc, protoc-gen-go and protoc-gen-go-grpc.
package switchmlproto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative switchml.proto

// Port is the TCP port of the service.
const Port = 50099
