package result

// Swept is a key of a scenario that a sweep gives several values, and the one that a run
// had.
type Swept struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
