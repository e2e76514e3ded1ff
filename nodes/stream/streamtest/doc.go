// Package streamtest connects machines that speak byte streams by a network in memory,
// for tests of collectives. Each host has its connections (package stream) and a link to
// one switch, which may have a rate and lose packets.
//
//	machine -- stream.Node -- link: rate, delay, loss --> switch --> link --> ...
package streamtest
