package blobstore

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore/bucket"
)

func openS3(ctx context.Context, p place, opt Options) (*bucket.Store, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(
		func(t *http.Transport) { tune(t, opt) })), // which AWS_CA_BUNDLE changes
		// A machine outside of Amazon has no metadata service, and should not wait for it.
		config.WithEC2RoleCredentialOptions(func(o *ec2rolecreds.Options) {
			o.Client = imds.New(imds.Options{HTTPClient: &http.Client{Timeout: time.Second}, Retryer: aws.NopRetryer{}})
		}))
	if err != nil {
		return nil, err
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if environment("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "" {
			return nil, errors.New("the credentials of AWS cannot be used: " + reasonOf(err))
		}
		return nil, ErrNoCredentials
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1" // as the tools of AWS
	}
	own := opt.Endpoint != "" || environment("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") != ""
	if own && os.Getenv("AWS_REQUEST_CHECKSUM_CALCULATION") == "" {
		// Some servers know no checksums at the end of a body.
		cfg.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	}
	open := func(change func(*s3.Options)) (*blob.Bucket, error) {
		client := s3.NewFromConfig(cfg, func(o *s3.Options) {
			if opt.Endpoint != "" {
				o.BaseEndpoint = &opt.Endpoint
			}
			o.UsePathStyle = own && !opt.Subdomains
			o.DisableLogOutputChecksumValidationSkipped = true
			change(o)
		})
		return s3blob.OpenBucket(ctx, client, p.bucket, &s3blob.Options{RequestChecksumCalculation: cfg.RequestChecksumCalculation})
	}
	b, err := open(func(*s3.Options) {})
	if err != nil {
		return nil, err
	}
	o := p.options(opt, s3Provider{})
	if o.Once, err = open(func(o *s3.Options) { o.Retryer = aws.NopRetryer{} }); err != nil {
		return nil, err
	}
	return bucket.New(b, o), nil
}

// s3Provider is a bucket of S3.
type s3Provider struct{}

func (s3Provider) Answer(as bucket.As) bucket.Answer {
	var out s3.GetObjectOutput
	if !as(&out) {
		return bucket.Answer{Offset: -1}
	}
	return bucket.Answer{Tag: aws.ToString(out.ETag), Offset: offsetOf(aws.ToString(out.ContentRange))}
}

func (s3Provider) Tag(a *blob.Attributes) string { return a.ETag }

func (s3Provider) Suffix(as bucket.As, n int64) error {
	var in *s3.GetObjectInput
	if !as(&in) {
		return errors.ErrUnsupported
	}
	in.Range = aws.String("bytes=-" + strconv.FormatInt(n, 10))
	return nil
}

func (s3Provider) Write(as bucket.As, _ int, tag string) error {
	var in *transfermanager.UploadObjectInput
	if tag == "" {
		return nil
	}
	if !as(&in) {
		return errors.ErrUnsupported
	}
	in.IfMatch = &tag
	return nil
}

func (s3Provider) Delete(as bucket.As, tag string) error {
	var in *s3.DeleteObjectInput
	if !as(&in) {
		return errors.ErrUnsupported
	}
	in.IfMatch = &tag
	return nil
}

func (s3Provider) Failure(err error) (f bucket.Failure) {
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) {
		f.Status = answer.HTTPStatusCode()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		f.Bucket = api.ErrorCode() == "NoSuchBucket"
		if f.Why = api.ErrorCode(); api.ErrorMessage() != "" && api.ErrorMessage() != f.Why {
			f.Why += ": " + api.ErrorMessage()
		}
	} else {
		f.Why = reasonOf(err)
	}
	return f
}

// reasonOf returns the innermost message of an error, without the identifiers of requests that
// the outer ones add.
func reasonOf(err error) string {
	var failed *smithy.OperationError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	var sent interface {
		error
		Unwrap() error
		HTTPStatusCode() int
	}
	if errors.As(err, &sent) && sent.Unwrap() != nil {
		err = sent.Unwrap()
	}
	return err.Error()
}
