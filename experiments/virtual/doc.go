// Package virtual has the experiments that simulate whole runs under the virtual
// clock, at the papers' link rates: networks, hosts with their costs, switches. A
// figure that one run decides checks its sums as well; a wrong one is an error.
package virtual
