package dataplane

// Document is the record of a job that a control plane hands to engines. Each
// protocol has a type of its own, which its programs know.
type Document interface {
	// Protocol names what the job speaks, as people call it.
	Protocol() string
}

// RefuseOther refuses the document of another program's job; fix says how to ask for
// one of the protocol that this program speaks.
func RefuseOther(d Document, speaks, fix string) *Refusal {
	return Refuse(RefusedProtocol, fix, "a job of %s is for another program: this one speaks %s", d.Protocol(), speaks)
}
