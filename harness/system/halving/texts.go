package halving

import "github.com/inalab/inalab/harness/system/streams"

// KnobTexts says what the knobs mean.
func (System) KnobTexts() map[string]string {
	return map[string]string{
		"halving.transport": streams.TransportText,
	}
}
