// Package experiments checks the papers' claims: for each claim of the ledger that
// the systems present can check, it runs the experiment that measures it.
//
//	ledger --select--> claims --> experiments that measure them --run--> findings --judge--> report
//
// The experiments stand in packages by what they drive. Package experiment has what
// all of them share: what an experiment is, what it is given and what it finds.
//
//	unit     programs and hosts by hand, and arithmetic: no network, no clock
//	chip     emulated chips: a Trio PFE, a Tofino pipeline
//	virtual  whole runs under the virtual clock
//	live     whole runs on real packets
//
// list.go joins their lists. missing.go says what each claim waits for that no
// experiment measures yet; a test holds both against the ledger. [Sensitivity] runs
// experiments again with changed constants.
package experiments
