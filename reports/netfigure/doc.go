// Package netfigure draws a network, with how much of each link was used.
//
//	+--------+      +--------+        switches by level: those of hosts lowest;
//	| spine0 |      | spine1 |        a chassis shows its PFEs
//	+--------+      +--------+
//	   |     \      /     |
//	+--------+  \/  +--------+
//	| leaf0  |  /\  | leaf1  |
//	+--------+      +--------+
//	 |  |  |         |  |  |          the darker and wider a line, the more of the
//	 h0 h1 h2        h3 h4 h5         busier direction was used
//	 12 14 11%
//
// [New] makes a plain drawing of a plan.Plan and the links of a run; [Write] makes SVG of it. The
// same network gives the same bytes. Each line says its numbers when it is pointed at, and hosts have theirs
// below, so that no colour is needed to read them.
//
// Left out: layouts of networks without levels.
package netfigure
