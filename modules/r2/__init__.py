"""A bucket at Cloudflare R2, or at any server that speaks S3."""

from modules.r2.module import R2Module

MODULE = R2Module
