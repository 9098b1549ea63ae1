package edgecases

var metadataCases, valueCases, filterCases, httpCases []edgeCase
