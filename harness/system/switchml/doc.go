// Package switchml is the system SwitchML: its knobs, how it lies over the hosts and
// switches of a job, how its machines are made, and what it offers beside runs.
//
//	nodes/switchml, nodes/switchmlrdma   what hosts do
//	switchd/program/switchml             what switches do
//	rpc                                  the service that the public client speaks to
//
// Where workers are on several switches, each switch on the way aggregates for those
// below it (SwitchML §7). Jobs can be added to a running switch, for clients too.
package switchml
