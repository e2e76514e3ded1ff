// Package streamtest lays machines that speak by byte streams over a network in
// memory, for tests of collectives: each host has its connections (package
// stream) and a link to one switch, which may have a rate and lose packets.
//
//	machine -- stream.Node -- link: rate, delay, loss --> switch --> link --> ...
package streamtest
