// Package spec reads topology files, *.topo.yaml, and writes them.
//
//	text --Read--> Topology --Resolve--> Lab: a topo.Graph, engines and programs by node, a schedule
//	                   ^                  |
//	                   +------ Write <----+ graph
//
// A file has nodes, each of a kind, and links by their two ends. Reading is strict: unknown keys are
// faults, all faults come at once, and each says where it stands:
//
//	lab.topo.yaml:9:22: links[1].endpoints[1]: there is no node tro; did you mean "tor"?
//	  - {endpoints: [h1, tro]}
//	                     ^
//
// What a file leaves out of its links is its caller's ([Base]): a scenario's own values, or a perfect
// wire. Words of engines mean nothing here: who runs the lab knows them. Files that a topology names are
// read by the caller.
//
// Left out: addresses, which follow from the order of nodes (topo/plan), and what topo leaves out.
package spec
