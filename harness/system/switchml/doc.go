// Package switchml is the system SwitchML: its knobs, its layout over the hosts and
// switches of a job, its machines, its benchmarks, and jobs on a running switch.
//
//	nodes/switchml, nodes/switchmlrdma   hosts
//	switchd/program/switchml             switches
//	rpc                                  the service for the public client
//
// Where workers are on several switches, each switch on the way aggregates for those
// below it (SwitchML §7).
package switchml
