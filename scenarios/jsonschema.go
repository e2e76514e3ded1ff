package scenarios

import _ "embed"

// Schema is the JSON Schema of scenario files, for editors.
//
//go:embed scenario.schema.json
var Schema []byte

//go:generate go test -run ^TestSchema$ -update .
