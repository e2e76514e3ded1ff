// Package aggtree chooses aggregation trees for systems whose servers add gradients up on the
// way to a parameter server (XAgg §V). A tree is known by the indexes of the hosts of a job:
// workers first, then servers, the PS last.
//
//	host    0 1 2 3 4 5 6   7 8   9
//	        w w w w w w w   s s   PS
//	parent  7 7 7 8 8 8 9   9 9   none
//
// The kinds:
//
//	kary     that of nodes/xagg/manager for equal workers and equal servers
//	testbed  three workers on each of two servers, all others on the PS (XAgg §VI-C, Fig 12)
//	star     all workers on the PS
//
// For seven workers, kary with k = 3 is the testbed.
//
// Left out: workers or servers that differ, which the manager's own Plan takes, and changes of a
// tree.
package aggtree
