// Package rig drives machines by hand: it makes the packets of hosts, hands them to
// the program of a switch or to an emulated chip, and takes apart what leaves.
//
//	made packets --> program or chip --> results, with the time at which they left
//
// There is no network but for [Net] and [ATPNet], which join a switch and its hosts in memory.
package rig
