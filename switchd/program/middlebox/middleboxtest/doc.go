// Package middleboxtest drives an engine that packets pass, in tests: it gives it
// IPv4 packets of numbered hosts, moves its time on from deadline to deadline, and
// hands over what it sends.
package middleboxtest
