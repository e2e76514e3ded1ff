package spec

import _ "embed"

// Schema is the JSON Schema of topology files, for editors.
//
//go:embed topology.schema.json
var Schema []byte

//go:generate go test -run ^TestSchema$ -update .
