# Columnar files as their usual writers make them, each with the records it must become beside it as NDJSON.
# needs: pyarrow 25, duckdb 1.5
import json, os
from datetime import datetime, timezone, timedelta, date
from decimal import Decimal
import pyarrow as pa, pyarrow.parquet as pq
import duckdb

utc = timezone.utc
t0 = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=utc)
iso = lambda t, digits=6: t.astimezone(utc).strftime('%Y-%m-%dT%H:%M:%S.') + f'{t.microsecond:06d}'[:digits] + 'Z'
items = lambda i: [{'ProductId': f'p{j}', 'Sku': f's{j}', 'Quantity': j + 1, 'Price': round(9.99 + j, 2), 'IsGift': j % 2 == 0} for j in range(i % 4)]
orders = [{'OrderId': f'o{i}', 'CustomerId': f'c{i % 7}' if i % 3 else None, 'Email': f'c{i % 7}@example.com', 'Currency': ['EUR', 'USD', 'JPY'][i % 3], 'TotalRevenue': round(10.25 * i - 3, 2), 'TotalQuantity': i, 'IsOrderCancelled': i % 5 == 0, 'OrderDate': t0 + timedelta(hours=i), 'OrderItems': items(i)} for i in range(300)]
plain = lambda o, digits=6: {k: v for k, v in {**o, 'OrderDate': iso(o['OrderDate'], digits)}.items() if v is not None}
# a null cell means: not said (D-59), as an empty cell of a CSV file
def bare(v): return {k: bare(x) for k, x in v.items() if x is not None} if isinstance(v, dict) else [bare(x) for x in v] if isinstance(v, list) else v
def expect(name, records): open(f'{name}.expected.ndjson', 'w').write(''.join(json.dumps(bare(r), ensure_ascii=False) + '\n' for r in records))

item = pa.struct([('ProductId', pa.string()), ('Sku', pa.string()), ('Quantity', pa.int32()), ('Price', pa.float64()), ('IsGift', pa.bool_())])
def schema(when=pa.timestamp('us', tz='UTC'), money=pa.float64(), text=pa.string(), count=pa.int32()):
    return pa.schema([('OrderId', text), ('CustomerId', text), ('Email', text), ('Currency', pa.dictionary(pa.int8(), pa.string())), ('TotalRevenue', money), ('TotalQuantity', count), ('IsOrderCancelled', pa.bool_()), ('OrderDate', when), ('OrderItems', pa.list_(item))])
def write(name, rows, sch, **options):
    pq.write_table(pa.Table.from_pylist(rows, schema=sch), f'{name}.parquet', **options)

# 1. each compression, small row groups, pages of version 1 and 2, other encodings
for codec in ('none', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4'):
    write(f'orders-{codec}', orders[:60], schema(), compression=codec, row_group_size=25, data_page_version='2.0' if codec in ('gzip', 'zstd') else '1.0')
expect('orders-each-codec', [plain(o) for o in orders[:60]])
write('orders-encodings', orders, schema(), use_dictionary=False, column_encoding={'OrderId': 'DELTA_BYTE_ARRAY', 'Email': 'DELTA_LENGTH_BYTE_ARRAY', 'TotalQuantity': 'DELTA_BINARY_PACKED', 'TotalRevenue': 'BYTE_STREAM_SPLIT'}, row_group_size=100, compression='zstd', data_page_size=2000)
expect('orders-encodings', [plain(o) for o in orders])

# 2. types: decimals, int64, uint32, float32, times in other units, with and without a zone, INT96 as Spark wrote it, large strings
ms = [{**o, 'OrderDate': o['OrderDate'].replace(microsecond=123000)} for o in orders[:40]]
write('orders-decimal-ms', [{**o, 'TotalRevenue': Decimal(str(o['TotalRevenue'])).quantize(Decimal('0.00001'))} for o in ms], schema(pa.timestamp('ms'), pa.decimal128(18, 5), pa.large_string(), pa.uint32()))
expect('orders-decimal-ms', [plain(o, 3) for o in ms])
write('orders-int96', ms, schema(pa.timestamp('ns'), count=pa.int64()), use_deprecated_int96_timestamps=True, compression='snappy', version='1.0', use_compliant_nested_type=False)
expect('orders-int96', [plain(o, 3) for o in ms])
write('orders-date', [{**o, 'OrderDate': date(2026, 3, 1 + i % 28)} for i, o in enumerate(orders[:40])], schema(pa.date32(), pa.float32()), compression='snappy')
expect('orders-date', [{**plain(o), 'OrderDate': f'2026-03-{1 + i % 28:02d}', 'TotalRevenue': 'as float32'} for i, o in enumerate(orders[:40])])
# a count beyond 2^31 and one beyond 2^53 are errors of their rows (2 and 3); the others are good
write('orders-too-large', [{**orders[i], 'TotalQuantity': q} for i, q in enumerate([1, 2**31, 2**60, 4])], schema(count=pa.int64()))
expect('orders-too-large', [{**plain(orders[i]), 'TotalQuantity': q} for i, q in enumerate([1, 'invalid', 'invalid', 4])])

# 3. customers and products: nulls everywhere, unknown columns, a map, unicode, no rows at all, 1 row group of 20,000
customers = [{'Email': f'k{i}@example.com', 'Name': ['Zoë', '李', None, ''][i % 4], 'EmailOptin': [True, False, None][i % 3], 'Loyalty': i, 'Tags': [('a', 'b')]} for i in range(90)]
cs = pa.schema([('Email', pa.string()), ('Name', pa.string()), ('EmailOptin', pa.bool_()), ('Loyalty', pa.int32()), ('Tags', pa.map_(pa.string(), pa.string()))])
write('customers-nulls', customers, cs, compression='zstd')
expect('customers-nulls', [{k: v for k, v in c.items() if k in ('Email', 'Name', 'EmailOptin')} for c in customers])
write('customers-empty', [], cs)
expect('customers-empty', [])
write('customers-many', [{'Email': f'm{i}@example.com'} for i in range(20000)], pa.schema([('Email', pa.string())]), compression='zstd', row_group_size=5000)
variants = lambda i: [{'VariantId': f'v{j}', 'Sku': f's{i}-{j}', 'Size': '2x250g', 'OriginalPrice': Decimal('19.9000'), 'Stock': None if j else 3} for j in range(i % 3)]
products = [{'ProductId': f'p{i}', 'ProductName': f'Name {i}', 'Taxonomy': [None, [], ['a', 'b|c']][i % 3], 'ProductVariants': variants(i)} for i in range(50)]
ps = pa.schema([('ProductId', pa.string()), ('ProductName', pa.string()), ('Taxonomy', pa.list_(pa.string())), ('ProductVariants', pa.list_(pa.struct([('VariantId', pa.string()), ('Sku', pa.string()), ('Size', pa.string()), ('OriginalPrice', pa.decimal128(10, 4)), ('Stock', pa.int16())])))])
write('products-nested', products, ps, row_group_size=7)
expect('products-nested', [{**p, 'ProductVariants': [{**v, 'OriginalPrice': 19.9} for v in p['ProductVariants']]} for p in products])

# 4. DuckDB's COPY, from NDJSON as it infers it
open('tmp.ndjson', 'w').write(''.join(json.dumps(plain(o)) + '\n' for o in orders))
duckdb.sql("COPY (SELECT * FROM read_json('tmp.ndjson')) TO 'orders-duckdb.parquet' (FORMAT parquet, COMPRESSION zstd)")
os.remove('tmp.ndjson')
expect('orders-duckdb', [plain(o) for o in orders])
