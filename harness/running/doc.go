// Package running says which labs run on this machine, and what each is made of. The
// owner of a lab writes that into the lab's directory, beside the journal.
//
//	<directory of the lab>/lab.json     a State: nodes, their namespaces, interfaces, links
//
// [List] has the labs of root and those that the caller has without root. A lab in a
// directory that anybody may write to is none of ours, unless the caller says that labs
// are there (journal.EnvRoot).
//
// Left out: what becomes of a lab (package lab), and what its switches count
// (switchd/control).
package running
