package switchml

// FaithfulChanges lists what [System.Faithful] changes of the switch program that
// runs over UDP, one sentence each.
func (s System) FaithfulChanges() []string {
	changes := []string{
		"late packets are not told apart: a copy that its worker's next packet has overtaken counts as new, as in the paper and the public program, so that sums can be wrong where packets overtake one another",
	}
	if s.Pipe.Pipeline {
		changes = append(changes, "results of 256 values are read as the public program reads them: values 128 to 159 come back as 192 to 223; those of 64 values are whole")
	}
	return changes
}
