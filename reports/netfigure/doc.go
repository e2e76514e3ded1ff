// Package netfigure draws a network with how much its links were used: hosts below, the switches above
// them, tier by tier.
//
//	          ┌────────┐
//	          │ spine0 │            use of a link, each way: width and shade of its line,
//	          └─┬────┬─┘            and a number
//	      ┌─────┘    └─────┐
//	┌─────┴──┐          ┌──┴─────┐
//	│ leaf0  │          │ leaf1  │  a chassis shows its line cards, and the fabric between
//	└─┬───┬──┘          └──┬───┬─┘  its PFEs as far as it was used
//	 h0   h1              h2   h3
//
// A [Net] is plain data, decoded from topology.json; links are named as in links.csv. A use that nobody
// recorded is drawn as a dashed line. Many hosts of one switch or PFE stand as one box with the mean and
// the most of their uses.
//
// Left out: change of use by time, and queues: links.csv has them.
package netfigure
