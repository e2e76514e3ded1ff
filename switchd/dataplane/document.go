package dataplane

import (
	"encoding/json"

	"github.com/inalab/inalab/internal/strictjson"
)

// Protocol is what the jobs of an engine speak, and so which document they are
// given by.
type Protocol string

// The protocols.
const (
	TrioML   Protocol = "Trio-ML"  // [Job]
	SwitchML Protocol = "SwitchML" // switchmljob.Job
)

// fixes says how to ask for a job of each.
var fixes = map[Protocol]string{
	TrioML:   "name its --sources, without --slots, --elements and --worker",
	SwitchML: "give --slots, and --elements if these are not 256, without the caps and addresses of Trio-ML",
}

// DecodeDocument reads a document of a job of a protocol strictly; keys are those
// that it has. A document that says that it is of another protocol is refused as
// such, whatever else is in it.
func DecodeDocument(config json.RawMessage, of Protocol, keys string, into any) error {
	var said struct {
		Protocol Protocol `json:"protocol"`
	}
	_ = json.Unmarshal(config, &said) // what is wrong with it is found below
	if said.Protocol != "" && said.Protocol != of {
		return Refuse(RefusedProtocol, fixes[of], "a job of %s is for another program: this one speaks %s", said.Protocol, of)
	}
	if err := strictjson.Decode(config, into); err != nil {
		return Refuse(RefusedDocument, "give "+keys, "%v", err)
	}
	return nil
}
