# The files of this folder, with the records that they must become beside them as NDJSON. needs: fastavro 1.12
import json
from datetime import datetime, timedelta, timezone
from decimal import Decimal
import fastavro

t0 = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=timezone.utc)
iso = lambda t: t.strftime('%Y-%m-%dT%H:%M:%S.') + f'{t.microsecond:06d}Z'
items = lambda i: [{'ProductId': f'p{j}', 'Sku': f's{j}', 'Quantity': j + 1, 'Price': round(9.99 + j, 2), 'IsGift': j % 2 == 0} for j in range(i % 4)]
orders = [{'OrderId': f'o{i}', 'CustomerId': f'c{i % 7}' if i % 3 else None, 'Email': f'c{i % 7}@example.com', 'Currency': ['EUR', 'USD', 'JPY'][i % 3], 'TotalRevenue': round(10.25 * i - 3, 2), 'TotalQuantity': i, 'IsOrderCancelled': i % 5 == 0, 'OrderDate': t0 + timedelta(hours=i), 'OrderItems': items(i)} for i in range(60)]
text = ['null', 'string']
item = {'type': 'record', 'name': 'Item', 'fields': [{'name': 'ProductId', 'type': 'string'}, {'name': 'Sku', 'type': 'string'}, {'name': 'Quantity', 'type': 'int'}, {'name': 'Price', 'type': 'double'}, {'name': 'IsGift', 'type': ['null', 'boolean']}]}
schema = {'type': 'record', 'name': 'Order', 'fields': [
    *[{'name': name, 'type': text} for name in ('OrderId', 'CustomerId', 'Email')],
    {'name': 'Currency', 'type': {'type': 'enum', 'name': 'Currency', 'symbols': ['EUR', 'USD', 'JPY']}},
    {'name': 'TotalRevenue', 'type': {'type': 'bytes', 'logicalType': 'decimal', 'precision': 12, 'scale': 2}},
    {'name': 'TotalQuantity', 'type': 'long'},
    {'name': 'IsOrderCancelled', 'type': 'boolean'},
    {'name': 'OrderDate', 'type': {'type': 'long', 'logicalType': 'timestamp-micros'}},
    {'name': 'OrderItems', 'type': {'type': 'array', 'items': item}},
]}
for codec in ('null', 'deflate'):
    rows = [{**order, 'TotalRevenue': Decimal(str(order['TotalRevenue'])).quantize(Decimal('0.01'))} for order in orders]
    with open(f'orders-{codec}.avro', 'wb') as file:
        fastavro.writer(file, schema, rows, codec=codec, sync_interval=1500)
with open('orders-avro.expected.ndjson', 'w') as file:
    for order in orders:
        row = {name: value for name, value in {**order, 'OrderDate': iso(order['OrderDate'])}.items() if value is not None}
        file.write(json.dumps(row) + '\n')
