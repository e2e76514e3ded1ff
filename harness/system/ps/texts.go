package ps

import "github.com/inalab/inalab/harness/system/streams"

// KnobTexts says what the knobs mean.
func (System) KnobTexts() map[string]string {
	return map[string]string{
		"ps.transport": streams.TransportText,
		"ps.servers":   "beside the workers, or on hosts of their own",
		"ps.count":     "servers; left out there are as many as workers",
		"ps.cross":     "the shard of a host's own server crosses the network, too; virtual clock only",
	}
}
