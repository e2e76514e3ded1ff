package byteps

import "github.com/inalab/inalab/harness/system/streams"

// KnobTexts says what the knobs mean.
func (System) KnobTexts() map[string]string {
	return map[string]string{
		"byteps.transport": streams.TransportText,
		"byteps.servers":   "on hosts of their own, or beside the first workers",
		"byteps.count":     "servers",
		"byteps.partition": "bytes that a server answers at a time, before scaling",
	}
}
