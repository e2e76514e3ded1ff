// Package gen makes topologies from a few parameters.
//
//	rack          leaf-spine             mx480
//
//	  tor         spine0   spine1        +--------------- mx480 ---------------+
//	 / | \          |  \   /  |          |  FPC 0            FPC 1             |
//	h0 h1 h2        |    X    |          |  pfe1 pfe2 pfe3   pfe4 pfe5 pfe6    |
//	                |  /   \  |          +---|----|-------------top------------+
//	              leaf0    leaf1           h0-h2 h3-h5
//	              /   \    /   \
//	             h0   h1  h2   h3
//
// The MX480 is the testbed of "Using Trio" (SIGCOMM 2022), §6.1: two MPC10E-15C-MRATE
// line cards, each with twelve 100 Gbit/s ports over three PFEs. Three servers are on
// PFE1, three on PFE2, and PFE4 is the top-level aggregator.
//
// The others are dumbbell (switches left and right), multi-rack (tor0, tor1, ... below core),
// tree (switch i of tier t is st-i, and tier 0 has the hosts), chassis-spine (a
// leaf-spine whose leaves mx0, mx1, ... are chassis like the MX480), and chassis-leaf-spine
// (where the spines are, too).
//
// Every generator returns a graph that [topo.Graph.Validate] accepts, or says which
// parameter is wrong. Hosts are h0, h1, ... over the whole topology, with one port eth0.
// Left out: rates and delays, which are the caller's (a zero [topo.LinkSpec] is a perfect
// wire).
package gen
