// Package manager is the management plane of XAgg (XAgg §V): which servers aggregate, the tree
// that workers, servers and the PS form, and what changes when servers get busy or die. It is pure:
// reports of load go in, trees and lists of moves come out, and the same input gives the same tree.
//
//	workers by t1 + t2   w1 w2 w3   w4 w5 w6   w7        slowest first
//	                       \ | /      \ | /     |
//	servers by bandwidth     s1         s2      |        best first
//	                           \_______ | _____/
//	                                   ps
//
// # The tree
//
// [Skip] says after the first round, which runs over the PS alone, that a model communicates too
// little. [Plan] sorts the workers by training and transmission time, the slowest first: Fig 12 has
// W1 to W3, the slowest, on the first server, and the fastest on the PS. [Candidates] are servers
// with memory to spare and with cores for all of their bandwidth. The first one gets k children, so
// that its bandwidth is k times the reference rate b; server i gets round(B_i/b), halves down, and
// at most k. Layer by layer, neighbours share a server, until at most k nodes are left for the PS.
//
// A server with one child speeds nothing up: the paper removes it again, and takes the top N servers
// for those that are left. Here a group of one node is passed up and takes no server, which comes
// to the same where the servers after it are alike: servers are taken in their order. The reference rate of the first layer holds in all
// layers (assumed: the paper has "the above method").
//
// k is 2 to 5: the least for which there are enough servers (assumed: the paper chooses by their
// number), because a node aggregates at B/k. Where the last group of a layer is not full and takes
// a server that is wanted above, such groups are passed up. Where even k = 5 wants more servers than
// fit, the PS takes all that is left, and [Tree.Note] says so.
//
// # Changes
//
// After an iteration, [Tree.Adjust] has unused candidates take children of servers that have too many,
// and replaces servers that no longer fit, or removes them. In mid-iteration, [Tree.Fail] removes a
// server: its children go to its parent, and send all again. What the failed server had forwarded counts
// once, since its sums have the host ids of all below it (package switchd/program/xagg, Child).
//
// # Duties of the caller
//
//  1. Reports ([Server]) leave out what XAgg itself uses on a server.
//  2. Have nodes take their places, parents before their new children, as package conductor does.
//     After Fail, the children of the failed server send their gradient from index 1 on.
package manager
