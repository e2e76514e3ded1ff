// Package golden compares what a test made with a file under testdata that a
// person has read and approved.
//
//	testdata/NAME --want--+
//	                      +--> equal, or the test fails with the difference
//	output of the test ---+
//	                      |
//	          -update ----+--> testdata/NAME
//
// It registers the flag -update with every test binary that imports it:
//
//	go test ./topo/plan -update
//
// Look at what git says has changed before you believe the new file. Only tests
// import this package, which is why it may read and write files although it is
// beside the machines. Left out: deleting files that no test compares any more.
package golden
