// Package golden compares the output of a test with an approved file under testdata.
//
//	testdata/NAME --want--+
//	                      +--> equal, or the test fails with the difference
//	output of the test ---+
//	                      |
//	          -update ----+--> testdata/NAME
//
// Every test binary that imports it has the flag -update:
//
//	go test ./topo/plan -update
//
// Review the difference in git before you commit it. What is short stands in the test, in hexadecimal digits ([Hex]). Only tests import this package.
// Left out: deleting files that no test compares any more.
package golden
