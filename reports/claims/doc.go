package claims
