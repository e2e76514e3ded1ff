package tcpagg

import "github.com/inalab/inalab/harness/system/streams"

// KnobTexts says what the knobs mean.
func (System) KnobTexts() map[string]string {
	return map[string]string{
		"tcpagg.tree":      "a k-ary tree of equal workers, that of XAgg's testbed, or the parameter server alone",
		"tcpagg.k":         "most children of a node",
		"tcpagg.down":      "sums go down from server to server, or by a stream from the parameter server to each worker",
		"tcpagg.transport": streams.TransportText,
	}
}
