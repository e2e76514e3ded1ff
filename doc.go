// Package inalab is the root of a testbed for in-network aggregation: Trio-ML,
// SwitchML and their peers, trained through software switches, on real packets
// or under a virtual clock. Both run at the scale of the scenario, which divides
// the papers' link rates and model sizes alike.
//
// It holds no code. architecture.yaml says how the tree is built, and tests in
// internal/arch hold it to that; the tests here hold the documents to the code.
//
//	1 cmd/inalab                  the binary
//	2 scenarios, experiments      what to run
//	3 reports                     what came out
//	4 harness                     Experiment and Runner
//	5 harness/sim, harness/live   the two clocks, namespaces, processes
//	6 switchd/daemon, pktio       sockets and drivers
//	7 switchd/program, chassis    machines that join machines
//	8 nodes/trioml, switchd/trio  protocol cores and engines
//	9 units, sansio, wire, topo   the words all of them use
//
// Imports point downwards. docs/ARCHITECTURE.md explains why.
package inalab
